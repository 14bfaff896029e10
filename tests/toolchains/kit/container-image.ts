import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { dockerSandbox } from '@jurist/workspace'

/** An image with a shell, made without a registry. */
export interface ContainerImage {
  readonly name: string
  /** Takes it away again. */
  remove(): void
}

const containers = 'podman'

/** Where runc may not raise limits, these are below what it has. */
const modestSettings = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
runtime = "runc"
`

/**
 * Imports a tree with busybox into podman and tries it, first with the settings of the machine, then with modest limits
 * by way of `CONTAINERS_CONF`. Answers the reason when neither works.
 */
export async function containerImage(): Promise<ContainerImage | string> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-image-'))
  const name = `localhost/jurist-toolchains:${process.pid}`
  const remove = () => {
    // Without output and whatever its code: there may be no image yet.
    spawnSync(containers, ['rmi', '--force', name], { stdio: 'ignore' })
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const tree = busyboxTree(join(directory, 'tree'))
    // Owned by root: without it, users other than root have no such owners to give.
    const owner = ['--owner=0', '--group=0', '--numeric-owner']
    execFileSync('tar', ['--create', ...owner, '--file', join(directory, 'tree.tar'), '--directory', tree, '.'])
    execFileSync(containers, ['import', join(directory, 'tree.tar'), name], { stdio: ['ignore', 'ignore', 'pipe'] })
    const settings = join(directory, 'containers.conf')
    writeFileSync(settings, modestSettings)
    await dockerSandbox({ image: name, cli: containers })
      .probe()
      .catch(async () => {
        process.env.CONTAINERS_CONF = settings
        await dockerSandbox({ image: name, cli: containers }).probe()
      })
    return { name, remove }
  } catch (thrown) {
    remove()
    // Podman warns of much before it says what is wrong.
    const lines = failureOf(thrown).message.trim().split('\n')
    return `podman does not run containers here: ${lines.findLast((line) => line.includes('rror: ')) ?? lines.at(-1)}`
  }
}

function busyboxTree(tree: string): string {
  for (const name of ['bin', 'dev', 'etc', 'proc', 'run', 'sys', 'tmp', 'usr', 'workspace'])
    mkdirSync(join(tree, name), { recursive: true })
  // Where `/usr` of the machine is mounted, its programs find their libraries.
  for (const name of ['lib', 'lib64']) symlinkSync(`usr/${name}`, join(tree, name))
  const busybox = realpathSync(execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim())
  copyFileSync(busybox, join(tree, 'bin/busybox'))
  const commands = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  for (const command of commands)
    if (command !== 'busybox') symlinkSync('busybox', join(tree, 'bin', command.split('/').at(-1) ?? command))
  return tree
}
