import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tests/structure/source.js'

/** A Markdown file of the repository that becomes a page. */
export interface Document {
  /** From the root of the repository. */
  readonly source: string
  /** The page, from the root of the site. */
  readonly page: string
  readonly title: string
  readonly text: string
}

/** The changelog of the command, which a release writes. */
const changelog = 'packages/jurist/CHANGELOG.md'
const single = ['README.md', 'bench/README.md', 'AGENTS.md', changelog]

/** Every document of the site: the README, the guide, the reference, the decisions, the examples and what stays beside them. */
export function documents(): readonly Document[] {
  const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}/README.md`)
  const below = ['docs', 'docs/guide', 'docs/reference', 'docs/decisions'].flatMap((directory) =>
    readdirSync(join(root, directory))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${directory}/${name}`),
  )
  return [...single, ...below.sort(), ...examples.sort()].filter((source) => existsSync(join(root, source))).map(read)
}

/** The page of a document: the guide as `guide/…`, a README under the name of its directory. */
export function pageOf(source: string): string {
  if (source === 'README.md') return 'index.html'
  if (source === 'bench/README.md') return 'benchmarks.html'
  if (source === changelog) return 'changelog.html'
  return source
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '.md')
    .replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase())
    .replace(/\.md$/, '.html')
}

function read(source: string): Document {
  const text = readFileSync(join(root, source), 'utf8').replaceAll('\r\n', '\n')
  const [, title] = /^# (.+)$/m.exec(text) ?? []
  if (title === undefined) throw new Error(`${source} has no title: its first line must be "# …".`)
  return { source, page: pageOf(source), title: title.replaceAll('`', ''), text }
}
