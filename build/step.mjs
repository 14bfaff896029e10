import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs a command and shows its output when it has ended, so that steps can run side by side. */
export function step(name, command, ...argv) {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const child = spawn(command, argv, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = []
    child.stdout.on('data', (data) => output.push(data))
    child.stderr.on('data', (data) => output.push(data))
    child.on('close', (code) => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
      if (code !== 0) process.stdout.write(Buffer.concat(output))
      console.log(`${code === 0 ? '✓' : '✗'} ${name}, ${seconds} s`)
      resolve(code === 0)
    })
  })
}

/** Runs a command that writes to this terminal itself. */
export function shown(command, ...argv) {
  return new Promise((resolve) => {
    spawn(command, argv, { cwd: root, stdio: 'inherit' }).on('close', (code) => resolve(code === 0))
  })
}

/** Whether all of some steps passed, once each has ended. */
export async function passAll(...steps) {
  return (await Promise.all(steps)).every((passed) => passed)
}
