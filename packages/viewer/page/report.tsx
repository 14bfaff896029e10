import { render } from 'preact'
import { answer } from '../src/answers/answer.js'
import {
  type Columns,
  documentAddress,
  fromColumns,
  partName,
  type ReportIndex,
  reportedRun,
} from '../src/answers/report-data.js'
import { runsInMemory } from '../src/answers/run-reader.js'
import { type Source, SourceContext } from './documents.js'
import { Page } from './page.js'
import { followPlaces } from './places.js'
import { linkTo } from './router.js'

/** The parts that were read last. A part contains some hundred trials. */
const parts = new Map<string, Promise<readonly unknown[]>>()
const mostParts = 8

function readPart(name: string): Promise<readonly unknown[]> {
  const part = parts.get(name) ?? unpacked(document.getElementById(name)?.textContent ?? '')
  parts.delete(name)
  parts.set(name, part)
  const [oldest] = parts.keys()
  if (parts.size > mostParts && oldest !== undefined) parts.delete(oldest)
  return part
}

async function unpacked(base64: string): Promise<readonly unknown[]> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const json = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json()
  return fromColumns((await json) as Columns)
}

const extras: Readonly<Record<string, string>> = { journal: 'journals', behaviour: 'journals', changes: 'changes' }

/** The answer for a document that the report does not contain. */
function left(view: string): unknown {
  const extra = Object.hasOwn(extras, view) ? extras[view] : undefined
  const reason = `This report contains no ${extra}. Write it with them: jurist view --static <dir> --with ${extra}`
  return extra && { state: 'unknown', reason }
}

/** Starts the page of a report in one file: documents are computed from the runs in the file, or read from it. */
async function start(root: HTMLElement): Promise<void> {
  const [{ runs, labels, scans, documents }] = (await readPart(partName.index)) as readonly [ReportIndex]
  const reader = runsInMemory(
    runs.map((run, position) => reportedRun(run, position, readPart)),
    { labels, scans },
  )
  const source: Source = async (path, query = new URLSearchParams()) => {
    const found = await answer(reader, path, query)
    if (found !== undefined) return found
    const address = documentAddress(path, query)
    const [part, position = 0] = (Object.hasOwn(documents, address) ? documents[address] : undefined) ?? []
    if (part === undefined) return left(path.at(-1) ?? '')
    return (await readPart(partName.documents(part)))[position] ?? undefined
  }
  const [first] = runs
  if (location.hash === '' && first !== undefined) history.replaceState(null, '', linkTo(['runs', first.id]))
  followPlaces()
  render(
    <SourceContext.Provider value={source}>
      <Page />
    </SourceContext.Provider>,
    root,
  )
}

const root = document.getElementById('page')
if (root !== null)
  start(root).catch((thrown: unknown) => {
    root.textContent = `This report cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  })
