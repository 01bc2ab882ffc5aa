/** Exit codes of the command, as `millrace --help` tells them. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  noConnection: 3,
  notAuthenticated: 4,
  someFilesFailed: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeHelp = `
Exit codes:
  0    done
  1    the operation failed
  2    the command line is wrong
  3    no connection to the server
  4    the key is missing or refused
  5    some files failed
  130  interrupted`;
