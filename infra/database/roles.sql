-- The two roles of one service's database, for those who do not want `npx fairlead migrate` to make them: the owner runs
-- migrations, the service itself may read and write rows and nothing else. As an administrator:
--   psql "$ADMIN_URL" -v ON_ERROR_STOP=1 -v service=run_executor -v owner_password=… -v password=… -f infra/database/roles.sql
-- Then DATABASE_URL names fairlead_<service>, and <SERVICE>_DATABASE_URL of the migrations fairlead_<service>_owner.
\set owner 'fairlead_' :service '_owner'
\set role 'fairlead_' :service

SELECT format('CREATE ROLE %I', name) FROM unnest(ARRAY[:'owner', :'role']) AS name
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
ALTER ROLE :"owner" LOGIN PASSWORD :'owner_password';
ALTER ROLE :"role" LOGIN PASSWORD :'password';

SELECT format('CREATE DATABASE %I OWNER %I', :'role', :'owner')
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'role') \gexec
REVOKE CONNECT ON DATABASE :"role" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"role" TO :"role";

-- In the database itself: what migrations make later is the service's to use too.
\connect :"role"
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO :"role";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"role";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO :"role";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO :"role";
