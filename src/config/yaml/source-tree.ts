/**
 * A configuration file as it was written: every value with its file and line. Layers are merged in this form, so that
 * `umpire config` and problems found after the merge can still say where a value came from.
 */
export interface SourceNode {
  file: string
  /** The line of the key for a value in a mapping, otherwise of the value itself. The first line is 1. */
  line: number
  value: SourceMap | SourceNode[] | Scalar
}

export type SourceMap = Map<string, SourceNode>

export type Scalar = string | number | boolean | null

/** The path from the top of a file to a value. Numbers are places in a list. */
export type KeyPath = readonly (string | number)[]

/** The node at the path or, if the path does not exist, the deepest node on the way. */
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

/** Removes the value. If it is in a list, removes the whole list, because the rest would mean something else. */
export function removeAt(root: SourceNode, path: KeyPath): void {
  const { depth } = closestNode(root, path)
  const existing = path.slice(0, depth)
  const firstPlace = existing.findIndex((step) => typeof step === 'number')
  const target = firstPlace === -1 ? existing : existing.slice(0, firstPlace)
  const key = target.at(-1)
  const parent = nodeAt(root, target.slice(0, -1))
  if (key !== undefined && parent?.value instanceof Map) parent.value.delete(String(key))
}

/** Converts to plain objects, lists and scalars. Keys that would change a prototype were refused on reading. */
export function toPlain(node: SourceNode): unknown {
  if (node.value instanceof Map) {
    return Object.fromEntries([...node.value].map(([key, child]) => [key, toPlain(child)]))
  }
  return Array.isArray(node.value) ? node.value.map(toPlain) : node.value
}

/** `review.context.plan`. Names that are not plain words are quoted. List places are left out: the line number shows them. */
export function renderPath(path: KeyPath): string {
  const names = path.filter((step) => typeof step === 'string')
  return names.map((name) => (/^[\w-]{1,60}$/.test(name) ? name : quote(name))).join('.')
}

/** Untrusted text on one short line, without anything that a terminal would obey. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text
  const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
  return JSON.stringify(short).replace(
    unseen,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
