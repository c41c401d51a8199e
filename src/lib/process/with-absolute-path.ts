import { delimiter, isAbsolute } from 'node:path'

/**
 * The environment with a PATH of absolute folders alone. An entry such as `.` or `node_modules/.bin`, and an empty one,
 * means the folder in which a process happens to stand; there whoever wrote its files would choose the programs.
 */
export function withAbsolutePath<E extends Record<string, string | undefined>>(env: E): E {
  const { PATH } = env
  if (PATH === undefined) return env
  return { ...env, PATH: PATH.split(delimiter).filter(isAbsolute).join(delimiter) }
}
