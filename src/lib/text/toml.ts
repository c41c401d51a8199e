export type TomlValue =
  | string
  | number
  | boolean
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue }

/** Writes values as one-line TOML, for programs that take pieces of configuration as arguments. */
export function toml(value: TomlValue): string {
  if (typeof value === 'string') return tomlString(value)
  if (typeof value !== 'object') return String(value)
  if (isList(value)) return `[${value.map(toml).join(', ')}]`
  const pairs = Object.entries(value).map(([key, each]) => `${tomlKey(key)} = ${toml(each)}`)
  return `{ ${pairs.join(', ')} }`
}

export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key)
}

/** A basic string. Characters that it can't contain are escaped. */
function tomlString(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, '\\$&')
    // Half of a surrogate pair is not a character, and TOML can't express it.
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(
      /[\u0000-\u001f\u007f]/g,
      (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  return `"${escaped}"`
}

function isList(value: object): value is readonly TomlValue[] {
  return Array.isArray(value)
}
