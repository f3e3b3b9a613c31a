import type { StoredVariable } from '../../state.ts';
import { type SeedVariable, seedVariables } from '../rows.ts';

const plain: readonly SeedVariable[] = [
  ['RAILS_ENV', 'production'],
  ['RACK_ENV', 'production'],
  ['NODE_ENV', 'production'],
  ['LOG_LEVEL', 'info'],
  ['APP_NAME', 'Harbour Books'],
  ['APP_HOST', 'shop.harbour.example'],
  ['ASSET_HOST', 'https://assets.harbour.example'],
  ['CDN_TTL_SECONDS', '86400'],
  ['CURRENCY', 'EUR'],
  ['DEFAULT_LOCALE', 'en'],
  ['SUPPORTED_LOCALES', 'en,de,fr,nl'],
  ['TIME_ZONE', 'Europe/Amsterdam'],
  ['WEB_CONCURRENCY', '4'],
  ['MAX_THREADS', '5'],
  ['WORKER_QUEUES', 'default,mailers,search'],
  ['SESSION_TIMEOUT_MINUTES', '30'],
  ['CART_TTL_HOURS', '72'],
  ['CHECKOUT_V2', 'true'],
  ['FREE_SHIPPING_FROM', '45.00'],
  ['GREETING', 'Hello "reader", mind the = signs'],
  ['MAIL_FROM', 'orders@harbour.example'],
  ['SMTP_HOST', 'smtp.harbour.example'],
  ['SMTP_PORT', '587'],
  ['SMTP_USER', 'orders'],
  ['SMTP_PASSWORD', 'sandbox-smtp-password', 'password'],
  ['PAYMENT_PROVIDER', 'paylane'],
  ['PAYMENT_SECRET', 'sandbox-payment-secret', 'password'],
  ['PAYMENT_WEBHOOK_SECRET', 'sandbox-webhook-secret', 'password'],
  ['SEARCH_URL', 'http://search.internal:9200'],
  ['SEARCH_INDEX', 'books_v7'],
  ['SENTRY_DSN', 'https://public@errors.harbour.example/7'],
  ['FEATURE_RECOMMENDATIONS', 'false'],
  ['ROBOTS', 'User-agent: *\nDisallow: /checkout\n'],
  ['SECRET_KEY_BASE', 'sandbox-secret-key-base', 'password'],
  ['STACK_NAME', 'shop', 'readonly'],
  ['STACK_ENVIRONMENT', 'production', 'readonly'],
  ['POSTGRESQL_ADDRESS', '10.0.4.21', 'readonly'],
  ['REDIS_ADDRESS', '10.0.4.22', 'readonly'],
];

/** Enough for two pages; LOG_LEVEL has a past. */
export function shopVariables(): StoredVariable[] {
  const variables = seedVariables(501, plain);
  const logLevel = variables.find(({ key }) => key === 'LOG_LEVEL');
  Object.assign(logLevel ?? {}, {
    updated_at: '2026-03-02T18:45:00Z',
    history: [
      { key: 1, value: 'warn', created_at: '2025-11-03T10:00:00Z', updated_at: '2026-03-02T17:10:00Z' },
      { key: 2, value: 'debug', created_at: '2026-03-02T17:10:00Z', updated_at: '2026-03-02T18:45:00Z' },
    ],
  });
  return variables;
}
