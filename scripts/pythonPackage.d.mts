export function packagePython(folder: string): Promise<{ wheel: string; sdist: string }>;
