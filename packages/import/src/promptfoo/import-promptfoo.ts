import { counted } from '@jurist/experiment/internal/results'
import type { CommandHost, ExitCode } from '@jurist/experiment/plugin'
import { shownFromHere } from '@jurist/kit/shown-path'
import { safeLine } from '@jurist/kit/terminal'
import { listed, newProject, nextSteps, sourceFile } from '../new-project.js'
import { writeFiles } from '../write-project.js'
import { type ImportedProject, promptfooProject } from './project.js'
import { readPromptfooSuite } from './suite.js'

export async function importPromptfoo(host: CommandHost, given: string, out: string): Promise<ExitCode> {
  const { root, made } = await newProject(host, out, async (directory): Promise<ImportedProject> => {
    const file = await sourceFile(host, given, 'Name the suite, such as promptfooconfig.yaml.')
    const project = promptfooProject(await readPromptfooSuite(file, given, host.cwd))
    await writeFiles(directory, project.files)
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
  if (notes.length > 0) print(`\nBy hand:\n${listed(notes.map(safeLine))}`)
  print(nextSteps(root, 'validate', 'run'))
  return 0
}
