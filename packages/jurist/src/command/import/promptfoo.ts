import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { safeLine } from '@jurist/kit/terminal'
import { usageInvalid } from '../../config/problems.js'
import { type ImportedProject, promptfooProject } from '../../import/promptfoo/project.js'
import { readPromptfooSuite } from '../../import/promptfoo/suite.js'
import type { ExitCode } from '../failure-report.js'
import type { Host } from '../host.js'
import { shownFromHere } from '../results-store.js'
import { newProject, nextSteps } from './new-project.js'

const mostNotes = 40

/** Makes a project of a suite of promptfoo. */
export async function importPromptfoo(host: Host, given: string, out: string): Promise<ExitCode> {
  const { root, made } = await newProject(host, out, async (directory): Promise<ImportedProject> => {
    const file = resolve(host.cwd, given)
    if ((await stat(file).catch(() => undefined))?.isFile() !== true)
      throw usageInvalid('file', `${given} is not a file. Name the suite, such as promptfooconfig.yaml.`)
    const project = promptfooProject(await readPromptfooSuite(file, given, host.cwd))
    for (const [path, content] of Object.entries(project.files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true })
      await writeFile(join(directory, path), content)
    }
    return project
  })
  const { files, tests, disabled, notes } = made
  if (host.flags.json === true) {
    host.json({ directory: root, files: Object.keys(files), tests, disabled, notes })
    return 0
  }
  const { out: print } = host.terminal
  const shown = shownFromHere(root)
  print(`Made ${Object.keys(files).join(', ')} in ${shown}: ${counted(tests, 'test')}, ${disabled} of them disabled.\n`)
  const lines = notes.slice(0, mostNotes).map((note) => `- ${safeLine(note)}\n`)
  if (notes.length > mostNotes) lines.push(`… ${notes.length - mostNotes} more: --json lists all\n`)
  if (lines.length > 0) print(`\nBy hand:\n${lines.join('')}`)
  print(nextSteps(root, 'validate', 'run'))
  return 0
}
