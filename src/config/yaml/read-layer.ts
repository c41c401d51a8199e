import { lstat, readFile, stat } from 'node:fs/promises'
import { type ParsedYaml, parseYaml } from './parse-yaml.ts'

/** Far more than anyone writes by hand; it keeps a wrong file in this place from being taken in. */
const mostBytes = 256 * 1024

/** Reads one configuration file. One that does not exist says nothing, unless it exists under a name that is not read. */
export async function readLayer(file: string): Promise<ParsedYaml> {
  const fail = (text: string): ParsedYaml => {
    return { kind: 'unreadable', problems: [{ file, line: null, path: [], text }] }
  }
  try {
    const found = await stat(file)
    if (found.isDirectory()) return fail('is a directory, a file is expected')
    // Reading a named pipe would wait for ever.
    if (!found.isFile()) return fail('is not a regular file')
    if (found.size > mostBytes) return fail(`is larger than ${mostBytes / 1024} KiB`)
    const bytes = await readFile(file)
    return parseYaml(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return fail('is not UTF-8 text')
    if (code === 'ENOENT' || code === 'ENOTDIR') return await readAbsent(file)
    if (code === 'EACCES' || code === 'EPERM') return fail('cannot be read: permission denied')
    if (typeof code === 'string') return fail(`cannot be read: ${code}`)
    throw error
  }
}

/** Settings that are silently not read are worse than an error, so the two usual mistakes are named. */
async function readAbsent(file: string): Promise<ParsedYaml> {
  if (await exists(file)) {
    const text = 'is a symbolic link to something that does not exist'
    return { kind: 'unreadable', problems: [{ file, line: null, path: [], text }] }
  }
  const otherName = file.replace(/\.yaml$/, '.yml')
  if (await exists(otherName)) {
    const text = 'is not read under this name; rename it to end in .yaml'
    return { kind: 'unreadable', problems: [{ file: otherName, line: null, path: [], text }] }
  }
  return { kind: 'read', root: null, problems: [] }
}

async function exists(file: string): Promise<boolean> {
  return await lstat(file).then(
    () => true,
    () => false,
  )
}
