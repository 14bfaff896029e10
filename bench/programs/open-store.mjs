import { fileStore } from '@jurist/experiment/store'
import { postgresStore } from '@jurist/postgres'

/** The store in a directory, or at the address of a database. */
export function openStore(place) {
  return place.startsWith('postgres://') ? postgresStore(place) : fileStore(place)
}
