import * as z from 'zod'
import { fileSchema } from './schema.ts'
import type { KeyPath } from './yaml/source-tree.ts'

/**
 * Every key that can be set, as a path to its value. `*` stands for a name that the user chooses, or for any place in a
 * list of mappings. Any other list is one value. The keys come from the schema, so a test over them also covers keys
 * that are added later.
 */
export function configKeys(): string[] {
  return leaves(fileSchema, []).map((path) => path.join('.'))
}

function leaves(schema: z.core.$ZodType, path: string[]): string[][] {
  const below = childrenOf(schema)
  if (!below) return [path]
  return Object.entries(below).flatMap(([key, child]) => leaves(child, [...path, key]))
}

/** The known keys of the mapping at this path. Empty if any name is allowed there, or if no mapping belongs there. */
export function knownKeys(path: KeyPath): string[] {
  const schema = schemaAt(path)
  return Object.keys((schema && childrenOf(schema)) ?? {}).filter((key) => key !== '*')
}

/** Whether a mapping of further keys belongs here. */
export function isSection(path: KeyPath): boolean {
  const schema = schemaAt(path)
  return schema !== null && childrenOf(schema) !== null
}

function schemaAt(path: KeyPath): z.core.$ZodType | null {
  let schema: z.core.$ZodType = fileSchema
  for (const step of path) {
    const below = childrenOf(schema)
    const next = below && (Object.hasOwn(below, step) ? below[step] : below['*'])
    if (!next) return null
    schema = next
  }
  return schema
}

function childrenOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> | null {
  if (schema instanceof z.ZodOptional) return childrenOf(schema.def.innerType)
  // A value that is preprocessed, such as a role that may be written as a name alone.
  if (schema instanceof z.ZodPipe && schema.def.in instanceof z.ZodTransform)
    return childrenOf(schema.def.out)
  if (schema instanceof z.ZodObject) return schema.def.shape
  if (schema instanceof z.ZodRecord) return { '*': schema.def.valueType }
  // A list of plain values is one value. In a list of mappings, each key has its own meaning.
  if (schema instanceof z.ZodArray && childrenOf(schema.def.element)) return { '*': schema.def.element }
  return null
}
