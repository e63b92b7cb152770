import './over-tls.ts';
import '../http/rest.test.ts';
