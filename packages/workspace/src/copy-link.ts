import { readlinkSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { isInside } from './containment.js'

/**
 * `inside`: only links that stay inside are copied. `all`: every link is, and one that leads into the directory by a way
 * through the outside leads into the copy.
 */
export type LinkRule = 'inside' | 'all'

interface LinkCopying {
  readonly from: string
  readonly to: string
  readonly links: LinkRule
  readonly misfit: (problem: JuristError) => void
}

/** Copies a symbolic link of a tree. */
export function copyLink({ from, to, links, misfit }: LinkCopying, path: string): void {
  const target = readlinkSync(join(from, path))
  const lands = resolve(from, dirname(path), target)
  const climbs = isAbsolute(target) || climbsOut(path, target)
  if (links === 'all') {
    symlinkSync(climbs ? sameGoal(from, path, lands, isAbsolute(target)) : target, join(to, path))
  } else if (climbs || leavesThroughLinks(from, path)) {
    const problem = `${path} is a link that leaves the directory: ${relative(from, lands)}.`
    misfit(new JuristError('path-escape', problem, { path }))
  } else symlinkSync(target, join(to, path))
}

/** Whether a relative target goes above the root on its way, also when it comes back: from a copy that leads elsewhere. */
function climbsOut(path: string, target: string): boolean {
  let depth = path.split('/').length - 1
  for (const name of target.split('/')) {
    if (name === '..') depth -= 1
    else if (name !== '' && name !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

/** The target for the copy: inside of it for what lies in the directory, else the place that the link leads to. */
function sameGoal(from: string, path: string, lands: string, wasAbsolute: boolean): string {
  const goal = [lands, realPathOf(lands)].find((place) => place !== undefined && isInside(from, place))
  if (goal !== undefined) return relative(join(from, dirname(path)), goal) || '.'
  return wasAbsolute ? readlinkSync(join(from, path)) : lands
}

function realPathOf(place: string): string | undefined {
  try {
    return realpathSync(place)
  } catch {
    return undefined
  }
}

/** A link may also leave by way of another one. A broken link leads nowhere. */
function leavesThroughLinks(from: string, path: string): boolean {
  const real = realPathOf(join(from, path))
  return real !== undefined && !isInside(from, real)
}
