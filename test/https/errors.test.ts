import './over-tls.ts';
import '../http/errors.test.ts';
