import './over-tls.ts';
import '../http/users.test.ts';
