import { spawn } from 'node:child_process'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens an address in the user's browser, if there is one: the address was printed anyway. */
export function openBrowser(url: string): void {
  const [program, ...argv] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...argv, url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
