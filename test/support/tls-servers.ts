import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provision } from '../../infra/local/install.mjs';
import { kafkaCommand, type ServerCommand } from '../../infra/local/kafka.mjs';
import { freePort } from '../../infra/local/network.mjs';
import { cacheDir } from '../../infra/local/ports.mjs';
import { localAdminUrl, postgresCommand, removeData } from '../../infra/local/postgres.mjs';

/** A PostgreSQL and a Kafka that take connections under TLS only with their own authority's certificate. */
export interface TlsServers {
  readonly adminUrl: string;
  readonly brokers: string;
  readonly username: string;
  readonly password: string;
  /** Certificate files of the authority that signed the servers, and of one that signed nothing here. */
  readonly ca: string;
  readonly otherCa: string;
  close(): Promise<void>;
}

const username = 'fairlead-app';
const password = 'not-the-one-you-think';

const openssl = (folder: string, ...args: string[]): unknown =>
  execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });

const authority = (folder: string, name: string): string => {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  openssl(folder, 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`, ...files);
  return join(folder, `${name}.pem`);
};

const certificates = (folder: string): { ca: string; otherCa: string; cert: string; key: string } => {
  const ca = authority(folder, 'ca');
  const otherCa = authority(folder, 'other');
  const request = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'];
  openssl(folder, 'req', ...request, '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl(folder, 'x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem');
  return { ca, otherCa, cert: join(folder, 'server.pem'), key: join(folder, 'server.key') };
};

/** The local stack's own settings, with one more listener: TLS, and a password. */
const withSecureListener = (properties: string, secure: number, keystore: string): void => {
  const text = readFileSync(properties, 'utf8')
    .replace(/^(listeners|advertised\.listeners)=.*$/gm, `$&,SECURE://127.0.0.1:${secure}`)
    .replace(/^listener\.security\.protocol\.map=.*$/m, '$&,SECURE:SASL_SSL');
  const login = 'org.apache.kafka.common.security.plain.PlainLoginModule';
  const more = [
    'ssl.keystore.type=PEM',
    `ssl.keystore.location=${keystore}`,
    'listener.name.secure.sasl.enabled.mechanisms=PLAIN',
    `listener.name.secure.plain.sasl.jaas.config=${login} required user_${username}="${password}";`,
  ];
  writeFileSync(properties, `${text}${more.join('\n')}\n`);
};

const launch = ({ command, args, ...options }: ServerCommand): ChildProcess =>
  spawn(command, args, { ...options, stdio: 'ignore' });

const ended = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
};

export const startTlsServers = async (): Promise<TlsServers> => {
  const home = mkdtempSync(join(tmpdir(), 'fairlead-tls-'));
  // PostgreSQL runs as another user when we are root, and has to get in.
  chmodSync(home, 0o755);
  const programs = await provision(cacheDir(process.env), ['kafka', 'postgres']);
  const [plain, secure, database] = [await freePort(), await freePort(), await freePort()];
  const { ca, otherCa, cert, key } = certificates(home);
  const keystore = join(home, 'keystore.pem');
  writeFileSync(keystore, readFileSync(key, 'utf8') + readFileSync(cert, 'utf8'));

  const postgres = await postgresCommand({ home, bin: programs.postgres ?? '', port: database });
  const ours = join(home, 'postgres-tls');
  mkdirSync(ours);
  const files = ['server.pem', 'server.key', 'hba'].map((name) => join(ours, name));
  const hba = 'hostssl all all 127.0.0.1/32 scram-sha-256\n';
  [readFileSync(cert), readFileSync(key), hba].forEach((content, index) => {
    const file = files[index] ?? '';
    writeFileSync(file, content, { mode: 0o600 });
    if (postgres.uid !== undefined && postgres.gid !== undefined) chownSync(file, postgres.uid, postgres.gid);
  });
  const tls = ['ssl=on', `ssl_cert_file=${files[0]}`, `ssl_key_file=${files[1]}`, `hba_file=${files[2]}`];
  const kafka = await kafkaCommand({ home, jars: programs.kafka ?? '', port: plain });
  withSecureListener(join(home, 'kafka', 'server.properties'), secure, keystore);
  const processes = [
    launch({ ...postgres, args: [...postgres.args, ...tls.flatMap((each) => ['-c', each])] }),
    launch(kafka),
  ] as const;
  return {
    adminUrl: localAdminUrl(home, database) ?? '',
    brokers: `127.0.0.1:${secure}`,
    ...{ username, password, ca, otherCa },
    close: async () => {
      await Promise.all([ended(processes[0], 'SIGINT'), ended(processes[1], 'SIGTERM')]);
      removeData(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
};
