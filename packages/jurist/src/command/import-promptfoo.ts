import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { shellWord } from '@jurist/kit/shell-word'
import { usageInvalid } from '../config/problems.js'
import { promptfooProject } from '../import/promptfoo-project.js'
import { readPromptfooSuite } from '../import/promptfoo-suite.js'
import type { ExitCode } from './failure-report.js'
import type { Host } from './host.js'

/** Makes a project of a suite of promptfoo. */
export async function importPromptfoo(host: Host, given: string, out: string): Promise<ExitCode> {
  const directory = resolve(host.cwd, out)
  if ((await stat(directory).catch(() => undefined)) !== undefined)
    throw usageInvalid('--out', `${out} exists already. Nothing was written. Name a directory to make.`)
  const file = resolve(host.cwd, given)
  if (!((await stat(file).catch(() => undefined))?.isFile() ?? false))
    throw usageInvalid('file', `${given} is not a file. Name the suite, such as promptfooconfig.yaml.`)
  const { files, tests, disabled, notes } = promptfooProject(await readPromptfooSuite(file))
  await mkdir(directory, { recursive: true })
  for (const [path, content] of Object.entries(files)) await writeFile(join(directory, path), content)
  const shown = relative(host.cwd, directory)
  if (host.flags.json === true) {
    host.json({ directory, files: Object.keys(files), tests, disabled, notes })
    return 0
  }
  host.terminal.out(
    `Made ${Object.keys(files).join(', ')} in ${shown}: ${counted(tests, 'test')}, ${disabled} of them disabled.\n`,
  )
  if (notes.length > 0) host.terminal.out(`\nBy hand:\n${notes.map((note) => `- ${note}\n`).join('')}`)
  host.terminal.out(`\nNext:  cd ${shellWord(shown)} && npx jurist validate && npx jurist run\n`)
  return 0
}
