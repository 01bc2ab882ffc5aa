const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
  wmv: 'video/x-ms-wmv',
};

export type MediaLane = 'image' | 'audio' | 'video';

/** The MIME type of a media file by its extension; inside a document the producer chose both. */
export function mediaTypeOf(name: string): string | undefined {
  return types[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
}

/** The lane that carries files of this type, if any. */
export function mediaLaneOf(mimeType: string): MediaLane | undefined {
  const kind = mimeType.slice(0, mimeType.indexOf('/'));
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : undefined;
}
