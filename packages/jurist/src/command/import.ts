import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { shellWord } from '@jurist/kit/shell-word'
import { usageInvalid } from '../config/problems.js'
import { promptfooProject } from '../import/promptfoo-project.js'
import { readPromptfooSuite } from '../import/promptfoo-suite.js'
import { flag, text } from './flags.js'
import { type Subcommand, subcommand } from './subcommand.js'

const formats = ['promptfoo']

/** `jurist import`. */
export const importSuite: Subcommand = subcommand({
  arguments: [
    ['<format>', `what it is: ${formats.join(', ')}`],
    ['<file>', 'the suite, such as promptfooconfig.yaml'],
  ],
  flags: { out: flag('-o, --out <dir>', 'the directory to make (default: evals)', text, { default: 'evals' }) },
  examples: ['import promptfoo promptfooconfig.yaml', 'import promptfoo suites/answers.yaml --out evals/answers'],
  note:
    'Writes a config and a row for each test with judges of its own. A test with an assertion that has no exact counterpart\n' +
    'becomes a disabled row, and is listed.',
  async run(host, [format, given], { out }) {
    if (!formats.includes(format))
      throw usageInvalid('format', `Unknown format "${format}". Available: ${formats.join(', ')}.`)
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
  },
})
