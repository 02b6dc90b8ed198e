#!/bin/sh
# Logins of the processes, one role each (.docs/roles.md): whoever gets hold of the connection of one may do no more than
# it. Run once, by the image of Postgres, on an empty database; "migrate" grants the roles their rights.
set -eu

login() {
  psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set login="$1" --set role="$2" --set password="$(cat "/run/secrets/$3")" <<'SQL'
create role :"login" login password :'password' in role :"role";
SQL
}

for role in truecup_api truecup_relay truecup_dealer; do
  psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --command "create role $role nologin"
done
login truecup_api_1 truecup_api postgres_api
login truecup_relay_1 truecup_relay postgres_relay
login truecup_dealer_1 truecup_dealer postgres_dealer
# Reads all of it and changes nothing: "truecup backup" and "truecup verify".
login truecup_backup pg_read_all_data postgres_backup
