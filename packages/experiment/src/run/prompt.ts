import { type Json, JuristError } from '@jurist/core'
import { nearestNames } from '@jurist/kit/did-you-mean'
import type { DatasetItem } from '../dataset/item.js'
import { type DatasetProblem, refuseErrors } from '../dataset/problem.js'
import type { ExperimentIssue } from '../errors.js'

type PromptItem = Omit<DatasetItem, 'hash'>

/** The names that every item has. */
const values: { readonly [name: string]: (item: PromptItem) => string } = {
  task: ({ task }) => task,
  knowledgeRefs: ({ knowledgeRefs }) => knowledgeRefs.join('\n'),
  id: ({ id }) => id,
  slug: ({ slug }) => slug,
  bucket: ({ bucket }) => bucket,
  taskType: ({ taskType }) => taskType,
  tags: ({ tags }) => tags.join(', '),
}

/** Names with a key of the item's own after them, and where the keys are looked up. */
const prefixes: { readonly [prefix: string]: (item: PromptItem, key: string) => Json | undefined } = {
  'metadata.': ({ metadata }, key) => (Object.hasOwn(metadata, key) ? metadata[key] : undefined),
  'input.': ({ input }, key) => (input === null ? undefined : valueAt(input, key)),
}

/**
 * Fills a template in one pass: a value that looks like a name is not filled again. Names in double braces: `task`,
 * `knowledgeRefs` (one a line), `id`, `slug`, `bucket`, `taskType`, `tags` (with commas), `metadata.<key>` and
 * `input.<key>`, where keys of objects inside follow after dots. `\{{` writes two braces. What is not a string is written
 * as JSON.
 *
 * @throws `experiment-invalid` for an unknown name, with the nearest known one, and for unclosed braces;
 * `dataset-invalid` for a key that the metadata or the input of the item does not have
 */
export function renderPrompt(template: string, item: DatasetItem): string {
  const issues = templateIssues(template, 'prompt')
  if (issues.length > 0) {
    const lines = issues.map(({ problem, remedy }) => `${problem} ${remedy}`)
    throw new JuristError('experiment-invalid', `The prompt cannot be filled: ${lines.join(' ')}`, { issues })
  }
  refuseErrors(item.id, promptProblems(template, item))
  return templateParts(template)
    .map((part) => ('text' in part ? part.text : 'name' in part ? valueOfName(part.name, item) : ''))
    .join('')
}

/** The issues of a template, whatever the item; `[]` if there are none. `field` is the option that it came from. */
export function templateIssues(template: string, field: string): readonly ExperimentIssue[] {
  return templateParts(template).flatMap((part) => {
    if ('text' in part) return []
    if ('unclosed' in part)
      return [{ field, problem: 'has "{{" without "}}".', remedy: 'Close it, or write \\{{ for two braces.' }]
    const { name } = part
    if (keyed(name) !== undefined || Object.hasOwn(values, name)) return []
    return [{ field, problem: `{{${name}}} is not a known name.`, remedy: remedyFor(name) }]
  })
}

function remedyFor(name: string): string {
  const known = [...Object.keys(values), ...Object.keys(prefixes).map((prefix) => `${prefix}<key>`)]
  const [near] = nearestNames(name, known)
  const hint = near === undefined ? `The names are ${known.join(', ')}.` : `Did you mean {{${near}}}?`
  return `${hint} To write two braces, use \\{{.`
}

/** Reports template variables that the item's metadata and input lack. */
export function promptProblems(template: string, item: PromptItem): readonly DatasetProblem[] {
  const missing = templateParts(template).flatMap((part) => {
    const found = 'name' in part ? keyed(part.name) : undefined
    return found === undefined || found.valueIn(item) !== undefined ? [] : [`${found.prefix}${found.key}`]
  })
  const file = item.path === null ? item.id : `${item.path}/item.json`
  return [...new Set(missing)].map((field) => ({
    file,
    item: item.id,
    field,
    problem: 'is missing, but the prompt uses it.',
    remedy: `Add it to the item, or remove {{${field}}} from the prompt.`,
    severity: 'error',
  }))
}

function valueOfName(name: string, item: PromptItem): string {
  const found = keyed(name)
  if (found === undefined) return values[name]?.(item) ?? ''
  const value = found.valueIn(item)
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

/** A name with a key of the item's own: its parts, and its value. */
interface KeyedName {
  readonly prefix: string
  readonly key: string
  valueIn(item: PromptItem): Json | undefined
}

function keyed(name: string): KeyedName | undefined {
  for (const [prefix, lookUp] of Object.entries(prefixes)) {
    const key = name.slice(prefix.length)
    if (name.startsWith(prefix) && key !== '') return { prefix, key, valueIn: (item) => lookUp(item, key) }
  }
  return undefined
}

/** The value at a path such as `city.name` or `messages.0.content`; a key that itself has dots comes first. */
function valueAt(value: Json, path: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const own = value as { readonly [key: string]: Json }
  if (Object.hasOwn(own, path)) return own[path]
  const dot = path.indexOf('.')
  const [key, rest] = dot === -1 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)]
  const inside = dot !== -1 && Object.hasOwn(own, key) ? own[key] : undefined
  return inside === undefined ? undefined : valueAt(inside, rest)
}

/** Plain text, two escaped braces, unclosed braces, or a name. */
type TemplatePart = { readonly text: string } | { readonly unclosed: true } | { readonly name: string }

const token = /(?<escaped>\\\{\{)|\{\{(?<name>[^{}]*)\}\}|(?<open>\{\{)/g

function templateParts(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of template.matchAll(token)) {
    if (match.index > end) parts.push({ text: template.slice(end, match.index) })
    end = match.index + match[0].length
    const name = match.groups?.name
    if (name !== undefined) parts.push({ name: name.trim() })
    else parts.push(match.groups?.open === undefined ? { text: '{{' } : { unclosed: true })
  }
  return [...parts, { text: template.slice(end) }]
}
