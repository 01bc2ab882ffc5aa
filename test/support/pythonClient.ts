import { join } from 'node:path';
import { packagePython } from '../../scripts/pythonPackage.mjs';
import type { PythonEnvironment } from './python.js';

/** The oldest versions of what the client needs. */
export const requirements = ['websockets==15.0.1', 'json5==0.9.25', 'python-dotenv==1.0.1'];

/** The Python client as users get it. */
export interface InstalledClient {
  wheel: string;
  sdist: string;
  /** The wheel as pip unpacked it; not the sources of the checkout. A Python with this as PYTHONPATH has it. */
  site: string;
}

/** Packs the Python client and installs the wheel, both below a folder. */
export async function installPythonClient(environment: PythonEnvironment, folder: string): Promise<InstalledClient> {
  const packed = await packagePython(join(folder, 'package'));
  const site = join(folder, 'site');
  await environment.install(['--no-deps', '--no-index', '--target', site, packed.wheel]);
  return { ...packed, site };
}
