import * as z from 'zod'
import { fileSchema } from './schema.ts'
import type { KeyPath } from './yaml/source-tree.ts'

/**
 * Every key that can be set, as a path to its value; `*` stands for a name of the person's choice, or any place in a
 * list of mappings. Any other list is one value. Taken from the schema, so that a test over these keys also covers the
 * one that is added next.
 */
export function configKeys(): string[] {
  return leaves(fileSchema, []).map((path) => path.join('.'))
}

function leaves(schema: z.core.$ZodType, path: string[]): string[][] {
  const below = childrenOf(schema)
  if (!below) return [path]
  return Object.entries(below).flatMap(([key, child]) => leaves(child, [...path, key]))
}

/** The keys that are known in the mapping at this path; empty where any name goes, or where no mapping belongs. */
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
  // Something that is first brought into form, like a role that may be written as a name alone.
  if (schema instanceof z.ZodPipe && schema.def.in instanceof z.ZodTransform)
    return childrenOf(schema.def.out)
  if (schema instanceof z.ZodObject) return schema.def.shape
  if (schema instanceof z.ZodRecord) return { '*': schema.def.valueType }
  // A list of plain values is one value; in a list of mappings each key means something.
  if (schema instanceof z.ZodArray && childrenOf(schema.def.element)) return { '*': schema.def.element }
  return null
}
