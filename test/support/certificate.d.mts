export declare const key: string;
export declare const certificate: string;
