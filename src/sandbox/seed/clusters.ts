import type { HeldCluster, StoredCluster } from '../state.ts';

export function seedClusters(): HeldCluster[] {
  return [
    cluster({ id: 61, uid: '9c1e4b7a2d5f48309a1b2c3d4e5f6071', name: 'prod-eu', environment: 'production', nodes: 3 }),
    cluster({ id: 62, uid: 'ad2f5c8b3e60594bab2c3d4e5f607182', name: 'staging-eu', environment: 'staging', nodes: 1 }),
  ];
}

interface ClusterSeed {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly environment: string;
  readonly nodes: number;
}

function cluster({ nodes, ...seed }: ClusterSeed): HeldCluster {
  const created = '2025-05-12T07:00:00Z';
  const updated = '2026-04-09T18:20:00Z';
  const row = {
    ...seed,
    cloud: 'hetzner',
    region: 'fsn1',
    status: 1,
    health: 3,
    kubernetes_version: '1.31.4',
    node_count: nodes,
    nodes: Array.from({ length: nodes }, (_, index) => node(`${seed.name}-${index + 1}`)),
    created_at: created,
    updated_at: updated,
    created_at_iso: created,
    updated_at_iso: updated,
  };
  const log = `${updated} Kubernetes 1.31.4 is running on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}.\n`;
  return { row, log, actions: [] };
}

function node(name: string): StoredCluster['nodes'][number] {
  return { name, status: 'Ready', instance_type: 'cx32', capacity: { cpu: '4', memory: '7944Mi', pods: '110' } };
}
