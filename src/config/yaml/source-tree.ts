/**
 * A configuration file as it was written: every value with the file and the line it stands on. Layers are merged in
 * this form, so that a problem found after the merge, and `umpire config`, can still say where a value came from.
 */
export interface SourceNode {
  file: string
  /** Of the key for a value in a mapping, else of the value itself; the first line is 1. */
  line: number
  value: SourceMap | SourceNode[] | Scalar
}

export type SourceMap = Map<string, SourceNode>

export type Scalar = string | number | boolean | null

/** From the top of a file to a value; numbers are places in a list. */
export type KeyPath = readonly (string | number)[]

/** The value's node, or where the path leads nowhere the deepest node on the way. */
export function closestNode(root: SourceNode, path: KeyPath): { node: SourceNode; depth: number } {
  let node = root
  for (const [depth, step] of path.entries()) {
    const next = childOf(node, step)
    if (!next) return { node, depth }
    node = next
  }
  return { node, depth: path.length }
}

export function nodeAt(root: SourceNode, path: KeyPath): SourceNode | null {
  const { node, depth } = closestNode(root, path)
  return depth === path.length ? node : null
}

function childOf(node: SourceNode, step: string | number): SourceNode | undefined {
  if (node.value instanceof Map) return node.value.get(String(step))
  if (Array.isArray(node.value) && typeof step === 'number') return node.value[step]
  return undefined
}

/** Takes the value out; of a list that holds it the whole list, since the rest would mean something else. */
export function removeAt(root: SourceNode, path: KeyPath): void {
  const { depth } = closestNode(root, path)
  const existing = path.slice(0, depth)
  const firstPlace = existing.findIndex((step) => typeof step === 'number')
  const target = firstPlace === -1 ? existing : existing.slice(0, firstPlace)
  const key = target.at(-1)
  const parent = nodeAt(root, target.slice(0, -1))
  if (key !== undefined && parent?.value instanceof Map) parent.value.delete(String(key))
}

/** Plain objects, lists and scalars. Keys that would reach into a prototype were refused when the file was read. */
export function toPlain(node: SourceNode): unknown {
  if (node.value instanceof Map) {
    return Object.fromEntries([...node.value].map(([key, child]) => [key, toPlain(child)]))
  }
  return Array.isArray(node.value) ? node.value.map(toPlain) : node.value
}

/** `review.context.plan`; a name that is not a plain word is quoted, places in lists are left to the line number. */
export function renderPath(path: KeyPath): string {
  const names = path.filter((step) => typeof step === 'string')
  return names.map((name) => (/^[\w-]{1,60}$/.test(name) ? name : quote(name))).join('.')
}

/** Foreign text on one short line, with nothing in it that a terminal would obey. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text
  const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
  return JSON.stringify(short).replace(
    unseen,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
