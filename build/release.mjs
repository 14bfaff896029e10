// Publishes the versions that changesets have made; `npm run release -- prepare` makes them, with the changelogs and the lock file.
import { spawnSync } from 'node:child_process'

const run = (command, ...argv) => spawnSync(command, argv, { stdio: 'inherit' }).status === 0

const done =
  process.argv[2] === 'prepare'
    ? run('npx', 'changeset', 'version') && run('npm', 'install', '--package-lock-only')
    : run('npm', 'run', 'build') && run('npx', 'changeset', 'publish')
process.exitCode = done ? 0 : 1
