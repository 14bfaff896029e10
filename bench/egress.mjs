// What does an allow-list of hosts cost: a request, a megabyte, the start of a command, and a thousand connections?
import { join } from 'node:path'
import { root, row, time } from './measure.mjs'

export function egress() {
  const program = join(root, 'bench/programs/egress.mjs')
  const { request, megabyte, start, parallel } = JSON.parse(time([process.execPath, '--expose-gc', program]).stdout)
  const more = ([direct, listed]) => listed - direct
  const shown = ([direct, listed]) =>
    `${listed.toFixed(2)} ms, ${more([direct, listed]).toFixed(2)} ms more (${direct.toFixed(2)} ms)`
  return [
    row(
      'a request through an allow-list, beside a direct one',
      shown(request),
      'at most 10 ms more',
      more(request) <= 10,
    ),
    row('a megabyte through it, beside a direct one', shown(megabyte), 'at most 1 ms more', more(megabyte) <= 1),
    row(
      'a command starts with it, beside one without a network',
      shown(start),
      'at most 60 ms more',
      more(start) <= 60,
    ),
    row(
      '1,000 connections in parallel over 8 workspaces; memory of this process',
      `${parallel.answered} answered, ${Math.round(parallel.mb)} MB more`,
      'all, 100 MB',
      parallel.answered === 1_000 && parallel.mb <= 100,
    ),
  ]
}
