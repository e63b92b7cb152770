import './over-tls.ts';
import '../http/sql-endpoint.test.ts';
