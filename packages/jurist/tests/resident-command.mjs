// Runs one command line after another in this process, as the command does in a separate process: with its arguments,
// directory, environment and input. What has been loaded stays loaded, which saves most of the time of a short command. A
// command that fails, or leaves a timer, a server or a child behind, ends the process.
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const commandFile = new URL('../dist/command/main.js', import.meta.url)
const repository = fileURLToPath(new URL('../../..', import.meta.url))
const { cache } = createRequire(import.meta.url)
const endProcess = process.exit.bind(process)
const outputs = [process.stdout, process.stderr]
let count = 0

/** What keeps a process alive, without file operations, which end soon. */
const resources = () => process.getActiveResourcesInfo().filter((name) => !/^FSReq|^Immediate/.test(name)).length

/** Removes the listeners that a command adds for the rest of its process. */
function forgetListeners() {
  for (const event of ['uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM'])
    process.removeAllListeners(event)
  for (const stream of outputs) stream.removeAllListeners('error')
}

function become({ argv, cwd, env, stdin }) {
  process.chdir(cwd)
  process.argv = [process.execPath, fileURLToPath(commandFile), ...argv]
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  Object.defineProperty(process, 'stdin', { value: Readable.from([stdin]), configurable: true })
  // Projects change their modules between commands.
  for (const file of Object.keys(cache)) if (!file.startsWith(repository)) delete cache[file]
}

async function run({ mark, ...command }) {
  const idle = resources()
  become(command)
  process.exit = async (code = 0) => {
    // It may have failed by an error that nothing caught, while the rest of it continues.
    if (code === 3) endProcess(code)
    process.exit = () => undefined
    forgetListeners()
    // What the command has just closed is gone after a turn.
    await new Promise(setImmediate)
    const ends = resources() !== idle
    await Promise.all(outputs.map((stream) => new Promise((written) => stream.write(mark, written))))
    process.send({ code, ends }, () => (ends ? endProcess() : undefined))
  }
  // The entry point runs each time. What it imports is loaded once.
  await import(`${commandFile}?${count++}`)
  process.exit()
}

process.setMaxListeners(0)
process.on('message', run)
process.on('disconnect', () => endProcess())
await new Promise(setImmediate)
process.send('ready')
