import { delimiter, isAbsolute } from 'node:path'

/**
 * The environment with only absolute folders in PATH. An empty entry, or one such as `.` or `node_modules/.bin`, means
 * the current working directory of a process. There the author of its files would choose the programs.
 */
export function withAbsolutePath<E extends Record<string, string | undefined>>(env: E): E {
  const { PATH } = env
  if (PATH === undefined) return env
  return { ...env, PATH: PATH.split(delimiter).filter(isAbsolute).join(delimiter) }
}
