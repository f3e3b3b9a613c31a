/**
 * Every reply of the service's document, typed by hand from its tables with every field they name, and nothing taken from
 * src. Each object has one field more than the document knows: what a later service adds must come through.
 */
export const added = { more: [1, null, { of: 'it' }] };

export const stack = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
export const server = 'c1a7d3e95b2f4860a1b2c3d4e5f60718';
export const cluster = '9c1e77aa03b24d5588c6f0e1d2a3b4c5';

/** The service's public material names these two; its document only points at them. */
export const wholeStack = {
  uid: stack,
  name: 'shop',
  environment: 'production',
  account_id: 42,
  account_name: 'Harbour Books',
  git: 'git@git.example:shop.git',
  git_branch: 'main',
  cloud: 'hetzner',
  fqdn: 'shop.example',
  language: 'ruby',
  framework: 'rails',
  backend: 'puma',
  status: 1,
  health: 3,
  last_activity: '2026-05-04T11:00:00Z',
  is_busy: false,
  is_cluster: false,
  maintenance_mode: false,
  redeploy_hook: null,
  created_at: '2025-06-01T10:00:00Z',
  updated_at: '2026-05-01T10:00:00Z',
  added,
};
export const serverGroup = {
  id: 21,
  name: 'shop',
  type: 'postgresql',
  created_at: '2025-06-01T10:00:00Z',
  updated_at: '2026-05-01T10:00:00Z',
  added,
};

export const backup = {
  id: 501,
  server_uid: server,
  db_type: 'postgresql',
  database_name: 'shop_prod',
  file_base: '',
  backup_date_iso: '2026-05-03T02:00:00Z',
  backup_status: 0,
  backup_result: '',
  restore_status: 0,
  restore_result: null,
  created_at_iso: '2026-05-03T02:00:05Z',
  updated_at_iso: '2026-05-03T02:04:09Z',
  verify_status: 0,
  verify_result: null,
  storage_path: 'backups/shop/501',
  skip_tables: '',
  backup_size: 4_509_715_660,
  added,
};
export const backupFile = { id: 'f-1', name: 'shop_prod.sql.gz', added };
export const backupLink = { ok: true, public_url: 'https://storage.example/f-1?signature=made-up&expires=600', added };

export const user = {
  id: 7,
  email: 'ada@harbour.example',
  primary_account_id: 42,
  locked: false,
  uses_tfa: true,
  timezone: 'Europe/Lisbon',
  has_valid_phone: true,
  developer_program: false,
  created_at: '2024-01-02T03:04:05Z',
  updated_at: '2026-04-30T08:00:00Z',
  added,
};
export const device = {
  device_type: 1,
  sub_type: 2,
  token: 'device-token-1',
  enabled: true,
  created_at: '2026-05-04 12:00:00 UTC',
  updated_at: '2026-05-04 12:00:00 UTC',
  created_at_iso: '2026-05-04T12:00:00Z',
  updated_at_iso: '2026-05-04T12:00:00Z',
  added,
};
export const accessProfile = {
  account_profile: {
    can_create_stack: false,
    can_admin_users: false,
    can_payment: false,
    can_add_cloud_key: false,
    can_del_cloud_key: false,
    can_view_acc_notifications: true,
    can_edit_acc_notifications: false,
    can_view_audit: true,
    can_view_docker_img_key: false,
    can_del_ssh_key: false,
    can_edit_personal_token: true,
    can_del_authorized_app: false,
    can_view_custom_env: true,
    can_edit_custom_env: false,
    can_add_developers_app: false,
    can_del_developers_app: false,
    can_edit_git_key: false,
    can_edit_gateway: false,
    default_roles: ['Viewer'],
    added,
  },
  stack_profiles: [{ stack_uid: stack, role: 'Deployer' }],
};
export const wholeUser = {
  ...user,
  access_profile: accessProfile,
  gitprovider_login: true,
  last_login: '2026-05-04T07:59:00Z',
  devices: [device],
  cloud_status: 'ok',
};

export const account = {
  id: 42,
  owner: 'ada@harbour.example',
  created_at_iso: '2024-01-02T03:04:05Z',
  updated_at_iso: '2026-04-30T08:00:00Z',
  stack_count: 3,
  used_clouds: ['hetzner', 'aws'],
  current_account: true,
  friendly_name: 'Harbour Books',
  unmanaged_servers: null,
  server_registration_script: 'curl -s https://register.example | bash -s 42',
  configstore_namespace: 'harbour',
  added,
};
export const wholeAccount = { ...account, unmanaged_servers: [{ id: 'u-1', name: 'old-box', vendor: 'hetzner' }] };
export const oneTimePassword = { ok: true, otp: 'one-time', added };

export const variable = {
  id: 11,
  key: 'LOG_LEVEL',
  value: 'info',
  readonly: false,
  created_at: '2026-01-02T03:04:05Z',
  updated_at: '2026-04-05T06:07:08Z',
  is_password: false,
  is_generated: false,
  history: [{ key: 1, value: 'warn', created_at: '2026-01-02T03:04:05Z', updated_at: '2026-04-05T06:07:08Z' }],
  added,
};
export const newVariable = { ...variable, id: 12, key: 'MOTTO', value: 'Read', history: [] };

export const listedSetting = {
  id: 31,
  key: 'git.branch',
  value: 'main',
  readonly: false,
  created_at: '2026-01-02T03:04:05Z',
  updated_at: '2026-04-05T06:07:08Z',
  added,
};
export const singleSetting = { key: 'git.branch', value: 'main', added };
export const warnedServerSetting = {
  key: 'server.name',
  value: 'shop-web-1',
  readonly: false,
  warning_text: 'The name is changed in DNS too.',
  added,
};
export const datedServerSetting = {
  id: 77,
  key: 'server.name',
  value: 'shop-web-1',
  readonly: false,
  created_at: '2026-01-02T03:04:05Z',
  updated_at: '2026-04-05T06:07:08Z',
  added,
};
export const singleServerSetting = { key: 'server.name', value: 'shop-web-1', added };

/** Shape A, for settings and processes. */
export const startedAction = {
  id: 812,
  user: 'ada@harbour.example',
  resource_type: 'stack',
  action: 'settings: git.branch',
  resource_id: '5120',
  started_via: 'api',
  started_at: '2026-05-04T12:00:00Z',
  finished_at: null,
  finished_success: null,
  finished_message: null,
  added,
};
/** Shape B, for databases, database users and clusters. */
export const queuedAction = {
  id: 813,
  status: 'queued',
  action_type: 'database_create',
  resource_type: 'database',
  resource_id: null,
  started_via: 'api',
  started_at: null,
  finished_at: null,
  finished_success: null,
  finished_message: null,
  created_at: '2026-05-04T12:00:00Z',
  updated_at: '2026-05-04T12:00:00Z',
  added,
};

export const deployment = {
  id: 1041,
  triggered_by: 'mara@harbour.example',
  triggered_via: { code: 0, meaning: 'web' },
  started_at: '2026-05-01T09:00:00Z',
  finished_at: '2026-05-01T09:12:44Z',
  outcome: { code: 1, meaning: 'success' },
  git_hash: 'd8b847daf0a06d549f0919d2c59a146e283b8b78',
  deploy_session: 'session-1041',
  deploy_type: { code: 0, meaning: 'build' },
  is_head: true,
  is_live: true,
  reverted: null,
  reverted_by: null,
  reverted_at: null,
  is_deploying: false,
  commit_url: 'https://git.example/shop/commit/d8b847d',
  added,
};
export const runningDeployment = {
  ...deployment,
  id: 1042,
  finished_at: null,
  outcome: { code: 0, meaning: 'pending' },
  is_head: false,
  is_live: false,
};
export const redeployed = { id: 1042, message: 'Stack shop queued for redeployment', queued: true, added };

export const variant = {
  id: 3,
  uid: 'va-canary',
  variant_type: 'canary',
  git_hash: '9d4e1f7a2b3c5d6e8f90a1b2c3d4e5f607182930',
  created_at: '2026-04-15T07:50:00Z',
  percentage: 10,
  added,
};

export const preview = { ...variant, id: 4, uid: 'va-preview', variant_type: 'preview', percentage: 0 };

export const tagEntry = {
  entity_type: 'server',
  entity_id: server,
  tags: [
    { value: 'web', reserved: false },
    { value: 'primary', reserved: true },
  ],
  created_at_iso: '2026-04-15T07:50:00+0000',
  updated_at_iso: '2026-04-16T07:50:00+0000',
  added,
};

export const machine = {
  uid: server,
  vendor_uid: 'i-0a1b2c3d',
  name: 'shop-web-1',
  address: '203.0.113.10',
  distro: 'ubuntu',
  distro_version: '24.04',
  dns_record: 'web1.shop.example',
  user_name: 'root',
  server_type: 'w',
  server_roles: ['web', 'app'],
  server_group_id: 21,
  stack_uid: stack,
  has_agent: true,
  params: { availability_zone: 'nbg1-dc3', size: 'cx31', region: 'nbg1', containerservice_instance_profile: null },
  created_at: '2025-06-01T10:00:00Z',
  updated_at: '2026-05-01T10:00:00Z',
  region: 'nbg1',
  availability_zone: 'nbg1-dc3',
  ext_ipv4: '203.0.113.10',
  int_ipv4: '10.0.0.10',
  int_ipv6: null,
  ext_ipv6: '2001:db8::10',
  health_state: 1,
  added,
};

export const task = {
  md5: '0cc175b9c0f1b6a831c399e269772661',
  name: 'worker',
  command: 'bundle exec worker',
  servers: { 'shop-web-1': 2 },
  added,
};

export const gateway = {
  id: 9,
  name: 'bastion-1',
  username: 'ops',
  address: '203.0.113.7',
  private_ip: '10.0.0.7',
  ttl: '2026-05-04T20:00:00Z',
  content: 'PRIVATE KEY',
  created_at_iso: '2026-05-01T10:00:00Z',
  updated_at_iso: '2026-05-04T12:00:00Z',
  created_by: 'ada@harbour.example',
  updated_by: 'ada@harbour.example',
  added,
};

export const shortCluster = {
  id: 4,
  uid: cluster,
  name: 'prod-eu',
  environment: 'production',
  cloud: 'hetzner',
  status: 1,
  health: 3,
  kubernetes_version: '1.33.1',
  node_count: 1,
  created_at: '2025-06-01T10:00:00Z',
  updated_at: '2026-05-01T10:00:00Z',
  created_at_iso: '2025-06-01T10:00:00Z',
  updated_at_iso: '2026-05-01T10:00:00Z',
  added,
};
export const wholeCluster = {
  ...shortCluster,
  region: 'nbg1',
  nodes: [
    { name: 'node-1', status: 'Ready', instance_type: 'cx41', capacity: { cpu: '4', memory: '16Gi', pods: '110' } },
  ],
};

export const database = {
  uid: 'db5a2',
  name: 'shop_prod',
  charset: 'UTF8',
  collation: 'en_US.UTF-8',
  size_bytes: 4_509_715_660,
  created_at: '2025-06-01T10:00:00Z',
  users: ['shop', 'analytics'],
  added,
};
export const databaseUser = {
  uid: 'du7c3',
  username: 'analytics',
  databases: ['shop_prod'],
  user_type: 'readonly',
  created_at: '2025-06-01T10:00:00Z',
  added,
};

export const clouds = {
  hetzner: { sizes: { cx31: '2 CPU, 8 GB' }, regions: { nbg1: 'Nuremberg' } },
  aws: { sizes: { 'm5.large': '2 CPU, 8 GB' }, regions: { 'eu-west-1': 'Ireland' } },
  added,
};
export const modules = {
  headers_more: { name: 'Headers More', description: 'Sets and clears headers.', version: '0.37' },
  added,
};
