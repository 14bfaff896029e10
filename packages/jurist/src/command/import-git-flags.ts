import { flag, repeatable, text, toggle, whole } from './flags.js'
import { instant } from './instant.js'

/** The flags of `jurist import git`. */
export const gitFlags = {
  branch: flag('--branch <name>', 'git: whose history (default: what is checked out)', text),
  since: flag('--since <date>', 'git: only commits since a date, such as 2026-01-01', instant),
  max: flag('--max <n>', 'git: how many items (default: 50)', whole(1), { default: 50 }),
  maxFiles: flag('--max-files <n>', 'git: the most source files that a commit changes (default: 5)', whole(1), {
    default: 5,
  }),
  maxLines: flag('--max-lines <n>', 'git: the most lines of source that it changes (default: 300)', whole(1), {
    default: 300,
  }),
  source: repeatable('--source <glob>', 'git: what the sources are, such as "src/**"', text),
  tests: repeatable('--tests <glob>', 'git: what the tests are, such as "tests/**"', text),
  testCommand: flag(
    '--test-command <line>',
    'git, swebench: runs the tests; {files} becomes the test files of a commit, as in "pytest {files}"',
    text,
  ),
  setup: flag(
    '--setup <line>',
    'git, swebench: installs the packages, once per lock file (default: by the lock file, such as "npm ci"); none: nothing',
    text,
  ),
  keep: repeatable('--keep <dir>', 'git, swebench: what the setup fills (default: node_modules, else .venv)', text),
  issues: flag(
    '--issues <file>',
    'git: texts of issues, as "gh issue list --json number,title,body" prints them',
    text,
  ),
  allowSecret: repeatable('--allow-secret <glob>', 'git: files that only look like secrets', text),
  sandbox: flag('--sandbox <name>', 'git, swebench: the sandbox of the config: auto, bubblewrap, docker:<image>', text),
  repeat: flag(
    '--repeat <n>',
    'git: how often the tests of an item run with and without the commit (default: 2)',
    whole(1),
    {
      default: 2,
    },
  ),
  isolate: toggle(
    '--isolate',
    'git: run the code under test in a process of its own; commits whose tests do not allow it are left out',
  ),
  copy: toggle('--copy', 'git: copy the files into the dataset, so that it needs no repository'),
  resume: toggle('--resume', 'git: continue an import that was stopped, or add newer commits'),
}
