import { execFile } from 'node:child_process'
import { cp, mkdir, open, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/** What is made in the copies before judging, because it cannot lie in a repository. */
export type Preparation = { readonly side: 'reference' | 'workspace'; readonly path: string } & (
  | { readonly kind: 'directory' | 'fifo' }
  | { readonly kind: 'link'; readonly target: string }
  | {
      readonly kind: 'nested'
      readonly open: string
      readonly close: string
      readonly depth: number
      readonly middle: string
    }
  | {
      readonly kind: 'repeat'
      readonly prefix?: string
      readonly unit: string
      readonly count: number
      readonly suffix?: string
    }
  | { readonly kind: 'lines'; readonly template: string; readonly count: number }
)

/** The trees of a case. */
export interface VectorTrees {
  readonly reference: string | null
  readonly workspace: string
  readonly before?: readonly { readonly path: string; readonly text: string }[]
  readonly prepare?: readonly Preparation[]
}

/** Copies the trees of a case to `reference`, `workspace` and `before` below `root`, and prepares them. */
export async function layOut(root: string, trees: VectorTrees, vectors: string): Promise<void> {
  await copyTree(trees.workspace, vectors, `${root}/workspace`)
  await copyTree(trees.reference, vectors, `${root}/reference`)
  await mkdir(`${root}/before`)
  for (const { path, text } of trees.before ?? []) await put(`${root}/before/${path}`, [text])
  for (const preparation of trees.prepare ?? []) await prepare(root, preparation)
}

async function copyTree(from: string | null, vectors: string, to: string): Promise<void> {
  const source = `${vectors}${from}`
  const exists = from !== null && (await stat(source).catch(() => undefined)) !== undefined
  if (exists) await cp(source, to, { recursive: true, verbatimSymlinks: true })
  else await mkdir(to)
}

async function prepare(root: string, preparation: Preparation): Promise<void> {
  const place = `${root}/${preparation.side}/${preparation.path}`
  await mkdir(dirname(place), { recursive: true })
  switch (preparation.kind) {
    case 'directory':
      return void (await mkdir(place, { recursive: true }))
    case 'fifo':
      return void (await promisify(execFile)('mkfifo', [place]))
    case 'link':
      return symlink(filled(preparation.target, 'reference', `${root}/reference`), place)
    case 'nested': {
      const { open, middle, close, depth } = preparation
      return put(place, [open.repeat(depth), middle, close.repeat(depth)])
    }
    case 'repeat': {
      const { prefix = '', unit, count, suffix = '' } = preparation
      return put(place, repeated(prefix, unit, count, suffix))
    }
    case 'lines': {
      const { template, count } = preparation
      return put(place, lines(template, count))
    }
    default:
      return preparation satisfies never
  }
}

const unitsAtOnce = 65_536

function* repeated(prefix: string, unit: string, count: number, suffix: string): Generator<string> {
  yield prefix
  for (let left = count; left > 0; left -= unitsAtOnce) yield unit.repeat(Math.min(left, unitsAtOnce))
  yield suffix
}

function* lines(template: string, count: number): Generator<string> {
  for (let from = 0; from < count; from += unitsAtOnce) {
    const numbers = Array.from({ length: Math.min(unitsAtOnce, count - from) }, (_, index) => from + index)
    yield numbers.map((number) => `${filled(template, 'n', String(number))}\n`).join('')
  }
}

/** `${name}` in a text of the manifest replaced. */
function filled(text: string, name: string, value: string): string {
  return text.replaceAll(`\${${name}}`, () => value)
}

async function put(place: string, parts: Iterable<string>): Promise<void> {
  await mkdir(dirname(place), { recursive: true })
  const file = await open(place, 'w')
  try {
    for (const part of parts) await writeFile(file, part)
  } finally {
    await file.close()
  }
}
