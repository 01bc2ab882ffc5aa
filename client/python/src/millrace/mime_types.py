"""MIME types, which choose the lane that data enters on."""

from __future__ import annotations

import re

from .generated.limits import DEFAULT_MIME_TYPE

__all__ = ['is_textual', 'mime_type_of']

_BY_EXTENSION = {
    'txt': 'text/plain',
    'log': 'text/plain',
    'md': 'text/markdown',
    'csv': 'text/csv',
    'tsv': 'text/tab-separated-values',
    'htm': 'text/html',
    'html': 'text/html',
    'xml': 'text/xml',
    'yaml': 'text/yaml',
    'yml': 'text/yaml',
    'css': 'text/css',
    'js': 'text/javascript',
    'json': 'application/json',
    'pdf': 'application/pdf',
    'rtf': 'application/rtf',
    'zip': 'application/zip',
    'doc': 'application/msword',
    'docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'xls': 'application/vnd.ms-excel',
    'xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'ppt': 'application/vnd.ms-powerpoint',
    'pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'odt': 'application/vnd.oasis.opendocument.text',
    'ods': 'application/vnd.oasis.opendocument.spreadsheet',
    'epub': 'application/epub+zip',
    'eml': 'message/rfc822',
    'png': 'image/png',
    'jpg': 'image/jpeg',
    'jpeg': 'image/jpeg',
    'gif': 'image/gif',
    'webp': 'image/webp',
    'bmp': 'image/bmp',
    'tif': 'image/tiff',
    'tiff': 'image/tiff',
    'svg': 'image/svg+xml',
    'mp3': 'audio/mpeg',
    'wav': 'audio/wav',
    'flac': 'audio/flac',
    'ogg': 'audio/ogg',
    'm4a': 'audio/mp4',
    'mp4': 'video/mp4',
    'mov': 'video/quicktime',
    'webm': 'video/webm',
    'mkv': 'video/x-matroska',
    'avi': 'video/x-msvideo',
}
_TEXTUAL = ('text/', 'lane/', 'application/rocketride-question', 'application/json')


def mime_type_of(file_name: str) -> str:
    """Return the MIME type that the extension of a file name stands for, else `application/octet-stream`."""
    extension = re.search(r'\.([^./\\]+)$', file_name)
    return _BY_EXTENSION.get(extension[1].lower() if extension else '', DEFAULT_MIME_TYPE)


def is_textual(mime_type: str) -> bool:
    """Whether every write of this type is one item of its own, so that cutting it changes what the pipeline sees."""
    return mime_type.startswith(_TEXTUAL)
