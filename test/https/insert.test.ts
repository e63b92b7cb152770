import './over-tls.ts';
import '../http/insert.test.ts';
