import './over-tls.ts';
import '../http/auth.test.ts';
