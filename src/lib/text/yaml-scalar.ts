/** Text as one line of YAML: plain if it is certainly read back as the same text, otherwise in quotes. */
export function yamlScalar(text: string): string {
  const isPlain = /^([A-Za-z./][\w ./@+=-]*|\d+(ms|s|m|h))$/.test(text) && !text.endsWith(' ')
  // Words that this or an older version of YAML does not read as text.
  const isWord = /^(true|false|null|yes|no|on|off|y|n|\.(inf|nan))$/i.test(text)
  // YAML also reads JSON strings.
  return isPlain && !isWord ? text : JSON.stringify(text)
}
