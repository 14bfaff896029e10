import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { counted } from '@jurist/experiment/result'
import { unknownAmong, usageInvalid } from '../config/problems.js'
import { flagReader } from './flag-values.js'
import { quoted } from './host.js'
import { humanEvalPackFiles } from './humanevalpack/project.js'
import { readHumanEvalPack } from './humanevalpack/read-lines.js'
import type { Subcommand } from './subcommand.js'

const formats = ['humanevalpack']

/** `jurist import`. */
export const importData: Subcommand = {
  define: (command) =>
    command
      .argument('<format>', `what the file is: ${formats.join(', ')}`)
      .argument('<file>', 'the file')
      .requiredOption('--out <dir>', 'where the dataset is made; absent or empty')
      .option('--limit <n>', 'only the first so many items')
      .addHelpText(
        'after',
        '\nExamples:\n  jurist import humanevalpack humanevalpack.jsonl --out bugs\n  jurist -C bugs run --variant reference',
      ),
  async run(host, [format, file], flags) {
    const reader = flagReader()
    const limit = reader.whole('--limit', flags.limit, 1)
    if (!formats.includes(String(format)))
      reader.problem('format', `"${format}" is no format.${unknownAmong(String(format), formats, 'There are')}`)
    reader.done()
    const out = resolve(host.cwd, String(flags.out))
    await checkEmpty(out, String(flags.out))
    const text = await readFile(resolve(host.cwd, String(file)), 'utf8').catch(() => {
      throw usageInvalid('file', `${file} cannot be read. Give a file of JSON lines.`)
    })
    const tasks = readHumanEvalPack(text, String(file)).slice(0, limit)
    const files = humanEvalPackFiles(tasks, text)
    await writeWhole(out, files)
    if (host.flags.json === true) host.json({ directory: out, items: tasks.length })
    else {
      const shown = relative(host.cwd, out) || '.'
      host.terminal.out(
        `Made a dataset of ${counted(tasks.length, 'item')} in ${shown}.\nNext:  npx jurist -C ${quoted(shown)} run\n`,
      )
    }
    return 0
  },
}

async function checkEmpty(directory: string, shown: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined)
  if (found === undefined) return
  if (!found.isDirectory()) throw usageInvalid('--out', `${shown} is a file. Give a directory that is absent or empty.`)
  if ((await readdir(directory)).length > 0)
    throw usageInvalid('--out', `${shown} is not empty. Give a directory that is absent or empty.`)
}

/** Writes all files beside the directory and then moves them to their place, so that it is never half there. */
async function writeWhole(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  const unfinished = `${directory}.${process.pid}.tmp`
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(unfinished, path)), { recursive: true })
      await writeFile(join(unfinished, path), text)
    }
    await rm(directory, { recursive: true, force: true })
    await rename(unfinished, directory)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}
