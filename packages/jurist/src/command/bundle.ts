import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { counted, type ExperimentResult, grouped } from '@jurist/experiment/result'
import { fileStore } from '@jurist/experiment/store'
import type { BundleManifest } from '../bundle/manifest.js'
import { extractBundle, readBundle } from '../bundle/read-bundle.js'
import { redactFiles } from '../bundle/redact.js'
import { collect, type SourceFile, writeBundle } from '../bundle/write-bundle.js'
import { usageInvalid } from '../config/problems.js'
import { findRun, resultsHolding } from './find-run.js'
import { flagReader } from './flag-values.js'
import type { Host } from './host.js'
import { makeParent, resultsOf } from './results-store.js'
import type { Flags, Subcommand } from './subcommand.js'

/** `jurist bundle`. */
export const bundle: Subcommand = {
  define: (command) =>
    command
      .argument('[run...]', 'runs, as for jurist show')
      .option('-o, --output <file>', 'the archive (default: <run>.jurist.tgz)')
      .option('--workspaces', 'with the workspaces that were kept')
      .option('--journals', 'with the journals')
      .option('--redact <pattern>', 'replace what this regular expression matches; repeatable', collected, [])
      .option('--verify <file>', 'check an archive against its sums; write nothing')
      .option('--extract <file>', 'bring the runs of an archive into the results directory')
      .option('--to <dir>', 'with --extract: another directory than that of the results')
      .addHelpText(
        'after',
        '\nExamples:\n  jurist bundle latest --journals --redact "sk-[A-Za-z0-9]+"\n  jurist bundle --extract run.jurist.tgz --to results',
      ),
  async run(host, [given], flags) {
    const texts = Array.isArray(given) ? given : []
    const patterns = checkFlags(texts, flags)
    if (flags.verify !== undefined) return verify(host, String(flags.verify))
    if (flags.extract !== undefined) return extract(host, String(flags.extract), flags.to)
    return make(host, texts, patterns, flags)
  },
}

function collected(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value]
}

function checkFlags(texts: readonly string[], flags: Flags): readonly RegExp[] {
  const reader = flagReader()
  const modes = [flags.verify, flags.extract].filter((value) => value !== undefined).length + (texts.length > 0 ? 1 : 0)
  if (modes !== 1) reader.problem('run', 'Say one thing: runs to bundle, or --verify <file>, or --extract <file>.')
  if (flags.output !== undefined && !String(flags.output).endsWith('.tgz'))
    reader.problem('--output', `--output ${flags.output}: a bundle is a .tgz, by which it is known again.`)
  if (texts.length > 1 && flags.output === undefined)
    reader.problem('--output', 'Several runs in one archive want a name for it: -o <file>.')
  if (flags.to !== undefined && flags.extract === undefined) reader.problem('--to', '--to belongs to --extract <file>.')
  const patterns = (flags.redact as readonly string[]).flatMap((pattern) => {
    try {
      return [new RegExp(pattern, 'gu')]
    } catch (thrown) {
      reader.problem('--redact', `--redact wants a regular expression: ${(thrown as Error).message}.`)
      return []
    }
  })
  reader.done()
  return patterns
}

async function make(host: Host, texts: readonly string[], patterns: readonly RegExp[], flags: Flags) {
  const found = await resultsOf(host)
  const runs: ExperimentResult[] = []
  const files: SourceFile[] = []
  let leftOut = 0
  for (const text of texts) {
    const results = await resultsHolding(found, text, host.cwd)
    const run = await findRun(results, text, host.cwd)
    if (results.directory === undefined)
      throw usageInvalid('run', `${results.shown} keeps no files to bundle. Use a store of files: --results <dir>.`)
    if (run.status === 'running')
      throw usageInvalid('run', `Run ${run.id} is still running. Wait for it, or resume it when it has ended.`)
    if (runs.some(({ id }) => id === run.id)) throw usageInvalid('run', `Run ${run.id} is named twice. Name it once.`)
    const parts = { journals: flags.journals === true, workspaces: flags.workspaces === true }
    const of = await collect(results.directory, [run], parts)
    runs.push(run)
    files.push(...of.files)
    leftOut += of.leftOut
  }
  const output = resolve(host.cwd, String(flags.output ?? `${runs[0]?.id}.jurist.tgz`))
  await makeParent(output)
  const sorted = files.sort((a, b) => (a.path < b.path ? -1 : 1))
  const redacted = await written(output, runs, sorted, patterns)
  if (leftOut > 0) host.note(`warning: ${counted(leftOut, 'link')} or special files were left out.`)
  const { size } = await stat(output)
  if (host.flags.json === true)
    host.json({ file: output, runs: runs.map(({ id }) => id), files: files.length, size, redacted })
  else {
    const secrets = patterns.length === 0 ? '' : `, ${counted(redacted, 'match', 'matches')} redacted`
    const shown = relative(host.cwd, output)
    host.terminal.out(
      `${shown}: ${counted(runs.length, 'run')}, ${counted(files.length, 'file')}, ${grouped(size)} bytes${secrets}\n`,
    )
  }
  return 0 as const
}

/** Writes the archive, of redacted copies where something is to be redacted. Gives how many matches were. */
async function written(
  output: string,
  runs: readonly ExperimentResult[],
  files: readonly SourceFile[],
  patterns: readonly RegExp[],
): Promise<number> {
  const named = runs.map(({ id, experimentName, variant }) => ({ id, experimentName, variant }))
  named.sort((a, b) => (a.id < b.id ? -1 : 1))
  if (patterns.length === 0) {
    await writeBundle(output, { runs: named, redacted: 0 }, files)
    return 0
  }
  const directory = await mkdtemp(join(tmpdir(), 'jurist-bundle-'))
  try {
    const copies = await redactFiles(files, patterns, directory)
    for (const { id } of runs) await checkReadable(directory, id)
    await writeBundle(output, { runs: named, redacted: copies.redacted }, copies.files)
    return copies.redacted
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A pattern that is too wide would leave a record that nobody can read. */
async function checkReadable(directory: string, id: string): Promise<void> {
  const run = await fileStore(directory)
    .load(id)
    .catch(() => undefined)
  if (run === undefined)
    throw usageInvalid('--redact', `The pattern replaces parts of the record of ${id} itself. Give a narrower one.`)
}

async function verify(host: Host, file: string) {
  const manifest = await readBundle(await existing(host, file))
  report(host, manifest, `${file} is whole`)
  return 0 as const
}

async function extract(host: Host, file: string, to: unknown) {
  const path = await existing(host, file)
  const directory = to === undefined ? (await resultsOf(host)).directory : resolve(host.cwd, String(to))
  if (directory === undefined)
    throw usageInvalid('--to', 'The store of the config keeps no files. Say where: --to <dir>.')
  const manifest = await extractBundle(path, directory)
  report(host, manifest, `Extracted into ${relative(host.cwd, directory) || '.'}`)
  return 0 as const
}

async function existing(host: Host, file: string): Promise<string> {
  const path = resolve(host.cwd, file)
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) throw usageInvalid('file', `There is no file ${file}. Make one: jurist bundle <run>`)
  return path
}

function report(host: Host, { runs, files, redacted }: BundleManifest, sentence: string): void {
  if (host.flags.json === true) host.json({ runs, files: files.length, redacted })
  else {
    const list = runs.map(({ id, experimentName }) => `${experimentName} ${id}`).join(', ')
    host.terminal.out(`${sentence}: ${counted(files.length, 'file')} of ${counted(runs.length, 'run')}: ${list}\n`)
  }
}
