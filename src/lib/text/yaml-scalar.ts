/** Text as YAML writes it on one line: plain where it is certainly read back as the same text, else in quotes. */
export function yamlScalar(text: string): string {
  const isPlain = /^([A-Za-z./][\w ./@+=-]*|\d+(ms|s|m|h))$/.test(text) && !text.endsWith(' ')
  // Read as something else than text, by this or by an older version of YAML.
  const isWord = /^(true|false|null|yes|no|on|off|y|n|\.(inf|nan))$/i.test(text)
  // What JSON writes in quotes YAML reads, too.
  return isPlain && !isWord ? text : JSON.stringify(text)
}
