/** Finds consecutive TCP ports without a listener, outside the range that the kernel assigns by itself. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** Well-known services use lower ports. */
const lowest = 10_240
const highest = 65_535

/** Most kernels' range for outgoing connections begins here or higher. */
const usualEphemeral: [number, number] = [32_768, 65_535]

/**
 * The usable ports: below or above the kernel's range for outgoing connections, whichever side has more. A port from
 * that range could be taken by any connection between our check and its use.
 */
export function usablePorts(ephemeral: [number, number] = readEphemeral()): { from: number; to: number } {
  const below = { from: lowest, to: Math.min(ephemeral[0] - 1, highest) }
  const above = { from: Math.max(lowest, ephemeral[1] + 1), to: highest }
  const size = ({ from, to }: { from: number; to: number }) => to - from + 1
  const larger = size(below) >= size(above) ? below : above
  // If the kernel keeps nearly all ports for itself, sharing with it is the best choice left.
  return size(larger) >= smallestZone ? larger : { from: lowest, to: highest }
}

const smallestZone = 1_000

function readEphemeral(): [number, number] {
  try {
    const [low, high] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/)
    const range: [number, number] = [Number(low), Number(high)]
    return range.every((port) => port > 0 && port <= highest) ? range : usualEphemeral
  } catch {
    return usualEphemeral
  }
}

/** Whether all of them could be listened on at this moment, over IPv4, and over IPv6 if there is one. */
export async function arePortsFree(first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port += 1)
    if (!((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1')))) return false
  return true
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve('code' in error && isNoAddress(error.code)))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** This machine has no such address, so nothing listens there either. */
function isNoAddress(code: unknown): boolean {
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
}
