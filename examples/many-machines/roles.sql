-- Roles for workers and for the page. As the owner of the database, after the first `jurist run --distributed` has made the tables,
-- and again after `jurist store migrate`:
--
--   psql --dbname results --file roles.sql
--   psql --dbname results --command '\password evals_worker'
do $$
begin
  create role evals_worker login;
  create role evals_reader login;
exception when duplicate_object then
end
$$;

-- Workers, and whoever plans runs: rows, no tables.
grant usage on schema jurist, jurist_jobs to evals_worker;
grant select, insert, update, delete on all tables in schema jurist, jurist_jobs to evals_worker;
grant usage on all sequences in schema jurist to evals_worker;
grant execute on all functions in schema jurist_jobs to evals_worker;

-- The page, and reports.
grant usage on schema jurist to evals_reader;
grant select on all tables in schema jurist to evals_reader;
