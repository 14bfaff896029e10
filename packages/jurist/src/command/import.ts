import { usageInvalid } from '../config/problems.js'
import { flag, text } from './flags.js'
import { gitFlags } from './import-git-flags.js'
import { type Subcommand, subcommand } from './subcommand.js'

const formats = ['git', 'promptfoo']

/** `jurist import`. */
export const importSuite: Subcommand = subcommand({
  arguments: [
    ['<format>', `what it is: ${formats.join(', ')}`],
    ['[source]', 'a git repository or its URL (default: this one), or a suite such as promptfooconfig.yaml'],
  ],
  flags: {
    out: flag('-o, --out <dir>', 'the directory to make (default: for git ../<repository>-evals, else evals)', text),
    ...gitFlags,
  },
  examples: [
    'import git',
    'import git . --since 2026-01-01 --max 20',
    'import git ../parser --test-command "node --test {files}" --source "lib/**"',
    'import promptfoo promptfooconfig.yaml',
  ],
  note:
    'git: makes a task of each commit that changes sources and tests. An agent begins with the commit before, without its\n' +
    'history, and the tests of the commit judge its work.\n' +
    'promptfoo: writes a config and a row for each test with judges of its own. A test with an assertion that has no exact\n' +
    'counterpart becomes a disabled row, and is listed.',
  check(flags, problem, [format]) {
    if (format !== 'promptfoo') return
    for (const [name, one] of Object.entries(gitFlags))
      if (JSON.stringify(flags[name as keyof typeof gitFlags]) !== JSON.stringify(one.read(undefined, name)))
        problem(one.usage, `${one.usage.split(' ', 1)[0]} belongs to "jurist import git".`)
  },
  async run(host, [format, source], flags) {
    if (format === 'git') return (await import('./import-git.js')).importGit(host, source ?? '.', flags)
    if (format !== 'promptfoo')
      throw usageInvalid('format', `Unknown format "${format}". Available: ${formats.join(', ')}.`)
    if (source === undefined)
      throw usageInvalid('source', 'Name the suite, such as: jurist import promptfoo promptfooconfig.yaml')
    return (await import('./import-promptfoo.js')).importPromptfoo(host, source, flags.out ?? 'evals')
  },
})
