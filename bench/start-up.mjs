import { join } from 'node:path'
import { alternate, median, milliseconds, root, row, time, times } from './measure.mjs'

/** How long is `jurist --version`, beside a Node that does nothing? */
export function startUp() {
  const command = join(root, 'packages/jurist/dist/command/main.js')
  const [ours, bare] = alternate(
    [
      () => time([process.execPath, command, '--version']).elapsedMs,
      () => time([process.execPath, '-e', '0']).elapsedMs,
    ],
    11,
  ).map(median)
  const ratio = ours / bare
  return [
    row(
      '`jurist --version`',
      `${milliseconds(ours)}, ${times(ratio)} \`node -e 0\` (${milliseconds(bare)})`,
      'at most 150 ms and 3 ×',
      ours <= 150 && ratio <= 3,
    ),
  ]
}
