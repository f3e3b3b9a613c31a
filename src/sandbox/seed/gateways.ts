import type { StoredGateway } from '../state.ts';
import { keptKey } from './made-up.ts';

interface GatewaySeed {
  readonly id: number;
  readonly name: string;
  /** The last part of its addresses. */
  readonly host: number;
  readonly isOpen: boolean;
}

/** An open gateway holds a key and stays so for years. */
export function seedGateway({ id, name, host, isOpen }: GatewaySeed): StoredGateway {
  return {
    id,
    name,
    username: 'ops',
    address: `203.0.113.${host}`,
    private_ip: `10.0.0.${host}`,
    ttl: isOpen ? '2035-01-01T00:00:00Z' : null,
    content: isOpen ? keptKey : '',
    created_by: 'ada@harbour.example',
    updated_by: 'mara@harbour.example',
    created_at_iso: '2024-03-11T10:00:00Z',
    updated_at_iso: '2026-02-20T14:30:00Z',
  };
}
