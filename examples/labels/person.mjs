import { spawn } from 'node:child_process'

const words = { 4: 'four', 6: 'six', 9: 'nine', 12: 'twelve', 15: 'fifteen' }

/**
 * STANDS FOR A PERSON at the keys of `jurist label`: reads each trial as it is shown, and presses `p` where the last price in the answer
 * is the expected one, in figures or in words, else `f`. An answer that names no price is wrong.
 *
 * @param command the program and arguments of `jurist label …`
 * @returns how many keys were pressed
 */
export function person([program, ...argv], options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
    let unread = ''
    let keys = 0
    child.stdout.setEncoding('utf8').on('data', (text) => {
      unread += text
      const shown = /Expected\n {4}(.+)\n\n {2}Output\n {4}(.+)\n/.exec(unread)
      if (shown === null) return
      unread = ''
      keys += 1
      child.stdin.write(keyFor(shown[1], shown[2]))
    })
    child.on('error', reject).on('close', (code) => (code === 0 ? resolve(keys) : reject(new Error(`label: ${code}`))))
  })
}

function keyFor(expected, answer) {
  const price = Number.parseFloat(expected)
  const last = answer.match(/\d+\.\d\d/g)?.at(-1)
  const isRight =
    last === undefined ? answer.includes(`${words[Math.floor(price)]} euros fifty`) : Number(last) === price
  return isRight ? 'p' : 'f'
}
