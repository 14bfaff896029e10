import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { Witness } from './prover.js'

export type WitnessLanguage = 'javascript' | 'python'

/** Prints a test that the mutant fails and the reference passes, ready to be added to the others. */
export function witnessTest(witness: Witness, language: WitnessLanguage): string {
  const { function: name, input, expected } = witness
  const print = (value: Json) => literal(value, language)
  const given = `${name}(${input.map(print).join(', ')})`
  const { returned, args } = partsOf(expected)
  if (language === 'python') {
    const title = `test_${name.replace(/\W/g, '_')}_witness`
    if (args === undefined) return `def ${title}():\n    assert ${given} == ${print(returned)}\n`
    const lines = [`args = [${input.map(print).join(', ')}]`, `assert ${name}(*args) == ${print(returned)}`]
    return `def ${title}():\n${[...lines, `assert args == ${print(args)}`].map((line) => `    ${line}\n`).join('')}`
  }
  const title = JSON.stringify(given.length > 80 ? `${given.slice(0, 79)}…` : given)
  if (args === undefined) return `test(${title}, () => assert.deepEqual(${given}, ${print(returned)}))\n`
  const lines = [
    `const args = [${input.map(print).join(', ')}]`,
    `assert.deepEqual(${name}(...args), ${print(returned)})`,
  ]
  return `test(${title}, () => {\n${[...lines, `assert.deepEqual(args, ${print(args)})`].map((line) => `  ${line}\n`).join('')}})\n`
}

/** Returns the returned value, and the final arguments if the function changed them. */
function partsOf(expected: Json): { readonly returned: Json; readonly args?: Json } {
  if (!isPlainObject(expected)) return { returned: expected }
  const { returned, arguments: args, ...rest } = expected as { readonly [key: string]: Json }
  const isChanged = returned !== undefined && Array.isArray(args) && Object.keys(rest).length === 0
  return isChanged ? { returned, args } : { returned: expected }
}

const words = { javascript: ['true', 'false', 'null'], python: ['True', 'False', 'None'] } as const

export function literal(value: Json, language: WitnessLanguage): string {
  const [yes, no, nothing] = words[language]
  if (value === null) return nothing
  if (typeof value === 'boolean') return value ? yes : no
  if (typeof value !== 'object') return JSON.stringify(value)
  const all = (values: readonly Json[]) => values.map((one) => literal(one, language)).join(', ')
  if (Array.isArray(value)) return `[${all(value)}]`
  const record = value as { readonly [key: string]: Json }
  if (typeof record['$'] === 'string') return special(record['$'], record['is'] ?? null, language)
  return `{${Object.entries(record)
    .map(([key, one]) => `${JSON.stringify(key)}: ${literal(one, language)}`)
    .join(', ')}}`
}

function special(kind: string, is: Json, language: WitnessLanguage): string {
  const all = Array.isArray(is) ? is.map((one) => literal(one, language)) : []
  switch (kind) {
    case 'tuple':
      return `(${all.join(', ')}${all.length === 1 ? ',' : ''})`
    case 'set':
      if (language === 'javascript') return `new Set([${all.join(', ')}])`
      return all.length === 0 ? 'set()' : `{${all.join(', ')}}`
    case 'map':
      return `new Map([${all.join(', ')}])`
    case 'dict':
      return `dict([${all.join(', ')}])`
    case 'bigint':
      return `${String(is)}n`
    case 'number':
    case 'int':
      return String(is)
    case 'undefined':
      return 'undefined'
    case 'date':
      return `new Date(${literal(is, language)})`
    case 'regexp':
      return `new RegExp(${all.join(', ')})`
    default:
      return JSON.stringify({ $: kind, is })
  }
}
